import { errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { PublicPhoto } from '../sharing/public-photo.ts'
import { SharedPhoto } from '../sharing/shared-photo.ts'
import { FingerprintQuery, IdParams, RankByPhoto, ShareParams } from './schemas.ts'

export const SharedFolder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  votingOpen: Type.Boolean(),
  showMap: Type.Boolean({ description: 'Whether the owner offers a map of the photos' }),
})
const ShareBody = Type.Object({ folder: SharedFolder, photos: Type.Array(PublicPhoto), voteCounts: RankByPhoto })

export const GET_SHARE = {
  summary: "Returns a shared folder, its visible photos, and with a fingerprint the voter's own ranks",
  params: ShareParams,
  querystring: FingerprintQuery,
  response: { 200: ShareBody, 304: Type.Null(), ...errorResponses },
}
export const GET_SHARED_PHOTO = {
  summary: 'Returns a visible photo of a shared folder, with its metadata',
  params: Type.Object({ ...ShareParams.properties, ...IdParams.properties }),
  response: { 200: SharedPhoto, ...errorResponses },
}
export const GET_SHARED_FOLDER = {
  summary: 'Returns a shared folder',
  params: ShareParams,
  response: { 200: SharedFolder, 304: Type.Null(), ...errorResponses },
}
export const LIST_SHARED_PHOTOS = {
  summary: 'Lists the visible photos of a shared folder',
  params: ShareParams,
  response: { 200: Type.Array(PublicPhoto), 304: Type.Null(), ...errorResponses },
}
export const GET_SHARE_CARD = { hide: true, params: ShareParams }
