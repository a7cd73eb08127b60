import { metrics } from '@skyfolio/kit'

/** `right` and `wrong` are counted by the worker, `taken_over` by the API. */
export const hashClaims = metrics.counter(
  'skyfolio_upload_claims_total',
  'SHA-256 hashes declared for files in parts, by outcome: right, wrong, or taken over by a form upload of the file',
  ['outcome'],
)
// From the start, so that the alert sees the first wrong one.
for (const outcome of ['right', 'wrong', 'taken_over']) hashClaims.inc({ outcome }, 0)
