"""Texts as a stranger may write them into a title, a style, a name: each could break a page that is not careful."""

HTML = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\"></td></table></main>"
MARKDOWN = "![a](http://evil.example/a.png) [b](javascript:alert(1)) | **c** | `d` <b>e</b>\n\n# f"
BIDI = "left \u202eright to left\u202d \u2067never ended \u202b\u2066"
LONG = "Unbroken" * 1250  # 10,000 letters without a space
CONTROLS = "bell\x07, escape\x1b[31m, form feed\x0c, delete\x7f, nothing\u200b, no character\ufffe"
EVERY = (HTML, MARKDOWN, BIDI, LONG, CONTROLS)
