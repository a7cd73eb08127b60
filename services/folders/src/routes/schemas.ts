import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'

const INTEGER_MAX = 2 ** 31 - 1

export const Id = Type.Integer({ minimum: 1, maximum: INTEGER_MAX })
export const IdParams = Type.Object({ id: Id })
export const ShareParams = Type.Object({ shareCode: Type.String() })

const NO_FINGERPRINT = 'Cannot rank: Unable to generate a unique identifier for ranking.'

/** What a voter's browser calls itself. */
export const Fingerprint = Type.String({ minLength: 8, maxLength: 128, 'x-message': NO_FINGERPRINT })
export const FingerprintQuery = Type.Object({ fingerprint: Type.Optional(Fingerprint) })

export const Rank = Type.Union([Type.Literal('first'), Type.Literal('second'), Type.Literal('third')])

/** Photo ids, 0 where a place is empty. */
export const PlacesBody = Type.Object({ first: Type.Integer(), second: Type.Integer(), third: Type.Integer() })

/** A place by the id of the photo that holds it. */
export const RankByPhoto = Type.Record(Type.String(), Rank)

export const SharedFolder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  votingOpen: Type.Boolean(),
})
