import { ACCOUNT_ATTACKS } from './accounts.ts'
import type { Attack } from './attack.ts'
import { BALLOT_ATTACKS } from './ballots.ts'
import { CROSS_USER_ATTACKS } from './cross-user.ts'
import { INJECTION_ATTACKS } from './injection.ts'
import { LINK_ATTACKS } from './links.ts'
import { ORIGIN_ATTACKS } from './origins.ts'
import { PATH_ATTACKS } from './paths.ts'
import { EXHAUSTION_ATTACKS } from './resource-exhaustion.ts'
import { RESPONSE_ATTACKS } from './responses.ts'
import { SMUGGLING_ATTACKS } from './smuggling.ts'
import { UNSTORABLE_TEXT_ATTACKS } from './unstorable-texts.ts'
import { UPLOAD_SESSION_ATTACKS } from './upload-sessions.ts'
import { UPLOAD_ATTACKS } from './uploads.ts'

/** All attacks, in the order in which they run. */
export const ATTACKS: Attack[] = [
  ...CROSS_USER_ATTACKS,
  ...SMUGGLING_ATTACKS,
  ...ORIGIN_ATTACKS,
  ...PATH_ATTACKS,
  ...INJECTION_ATTACKS,
  ...UNSTORABLE_TEXT_ATTACKS,
  ...LINK_ATTACKS,
  ...BALLOT_ATTACKS,
  ...ACCOUNT_ATTACKS,
  ...RESPONSE_ATTACKS,
  ...EXHAUSTION_ATTACKS,
  ...UPLOAD_ATTACKS,
  ...UPLOAD_SESSION_ATTACKS,
]
