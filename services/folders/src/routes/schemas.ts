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

/** Ranks by photo id. */
export const RankByPhoto = Type.Record(Type.String(), RankName)

export const DateTime = Type.String({ format: 'date-time' })
