"""Who differs from the others, and where: the images to look at."""

import numpy as np
import pyarrow as pa

from schemas.evaluate_figures import DISAGREEMENT
from tasks.core.evaluate.raters.leave_one_out import BoxCounts
from tasks.core.evaluate.raters.ratings import Ratings


def disagreement_table(ratings: Ratings, counts: BoxCounts) -> pa.Table:
    """DISAGREEMENT: who differs most first.

    By falling number of missed figures and extra boxes together, then by rising worst_iou (null last), then by image
    and rater. worst_iou: of all boxes and figures the one that fits worst, with the best IoU that it has; null where
    there is neither a box nor a figure.
    """
    rater, image = np.nonzero(counts.is_scored)
    missed, extra, worst = (values[rater, image] for values in (counts.missed, counts.wrong, counts.worst))
    order = np.lexsort((rater, image, worst, -(missed + extra)))  # NaN sorts last
    names = [np.array(names, dtype=object) for names in (ratings.raters, ratings.images)]
    return pa.table(
        [
            pa.array(names[0][rater[order]], pa.string()),
            pa.array(names[1][image[order]], pa.string()),
            pa.array(counts.right[rater, image][order]),
            pa.array(missed[order]),
            pa.array(extra[order]),
            pa.array(worst[order], from_pandas=True),
        ],
        schema=DISAGREEMENT,
    )
