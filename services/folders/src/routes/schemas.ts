import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'

const INTEGER_MAX = 2 ** 31 - 1

export const Id = Type.Integer({ minimum: 1, maximum: INTEGER_MAX })
export const IdParams = Type.Object({ id: Id })
export const ShareParams = Type.Object({ shareCode: Type.String() })

/** With a route that names the folder by its id. */
export const GivenShareCode = Type.Optional(
  Type.String({
    description:
      'The code of a link of the folder: visitors need it, the cookie `links` or the header `x-share-code` unless the main link is the only one, was never renewed, and has neither password nor expiry',
  }),
)

const NO_FINGERPRINT = 'Cannot rank: Unable to generate a unique identifier for ranking.'

/** The fingerprint that identifies a voter's browser. */
export const Fingerprint = Type.String({ minLength: 8, maxLength: 128, 'x-message': NO_FINGERPRINT })
export const FingerprintQuery = Type.Object({ fingerprint: Type.Optional(Fingerprint) })

export const RankName = Type.Union([Type.Literal('first'), Type.Literal('second'), Type.Literal('third')])

/** Photo ids, 0 where a rank is empty. */
export const RankedPhotosBody = Type.Object({ first: Type.Integer(), second: Type.Integer(), third: Type.Integer() })

/** The votes of a photo. */
export const TallyBody = Type.Object({
  photoId: Type.Integer(),
  first: Type.Integer(),
  second: Type.Integer(),
  third: Type.Integer(),
  points: Type.Integer({ description: '3 for a first rank, 2 for a second, 1 for a third' }),
  voters: Type.Integer(),
})

/** Ranks by photo id. */
export const RankByPhoto = Type.Record(Type.String(), RankName)

const TIME = 'This is not a date and time.'
/** Without leap seconds, which `Date` does not know, and of years that both it and PostgreSQL write with four digits. */
const TIME_PATTERN = '^[12]\\d{3}-\\d\\d-\\d\\d.\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?([zZ]|[+-]\\d\\d:?\\d\\d)$'
/** A moment that a client sets; null: none. */
export const MomentField = Nullable(
  Type.String({ format: 'date-time', pattern: TIME_PATTERN, 'x-message': { format: TIME, pattern: TIME } }),
)

export const DateTime = Type.String({ format: 'date-time' })
