"""The digest of the program's code is that of names and bytes of what parts can run."""

from pathlib import Path

from tasks.orchestration import workers


def test_the_digest_is_of_names_and_bytes_of_code(tmp_path: Path) -> None:
    file = tmp_path / "tasks" / "core" / "rule.py"
    file.parent.mkdir(parents=True)
    seen = [workers._digest(tmp_path)]
    for name, text in (("rule.py", "A = 1"), ("rule.py", "A = 2"), ("law.py", "A = 1")):
        file.with_name(name).write_text(text, encoding="utf-8")
        seen.append(workers._digest(tmp_path))
    assert len(set(seen)) == len(seen)
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "desk.py").write_text("A = 1", encoding="utf-8")  # parts never reach it
    (file.parent / "rule.nbi").write_bytes(b"what the compiler keeps")
    assert workers._digest(tmp_path) == seen[-1]


def test_this_process_knows_its_code() -> None:
    assert workers.code_of_process() == workers._digest(Path(workers.__file__).resolve().parents[2])
