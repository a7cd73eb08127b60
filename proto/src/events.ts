import type { DescMessage } from '@bufbuild/protobuf'
import { SessionRevokedSchema } from './generated/skyfolio/auth/v1/session_pb.ts'
import { GetAccessRequestSchema, GetAccessResponseSchema } from './generated/skyfolio/folders/v1/access_pb.ts'
import {
  FolderChangedSchema,
  FolderDeletedSchema,
  RankingsChangedSchema,
} from './generated/skyfolio/folders/v1/folder_pb.ts'
import { PhotoChangedSchema, PhotoDeletedSchema } from './generated/skyfolio/media/v1/photo_pb.ts'

/** A subject and the message that travels under it. */
export interface Topic<Schema extends DescMessage> {
  subject: string
  schema: Schema
}

/** A question over NATS request-reply. */
export interface RequestReply<Request extends DescMessage, Response extends DescMessage> {
  subject: string
  request: Request
  response: Response
}

const topic = <Schema extends DescMessage>(subject: string, schema: Schema): Topic<Schema> => ({ subject, schema })

/** Durable events: kept by JetStream, delivered at least once, never in a promised order. */
export const events = {
  photoChanged: topic('media.photo.changed', PhotoChangedSchema),
  photoDeleted: topic('media.photo.deleted', PhotoDeletedSchema),
  folderChanged: topic('folders.folder.changed', FolderChangedSchema),
  folderDeleted: topic('folders.folder.deleted', FolderDeletedSchema),
}

/** Hints: plain NATS, lost when nobody listens; no projection may depend on them. */
export const hints = {
  sessionRevoked: topic('auth.session.revoked', SessionRevokedSchema),
  rankingsChanged: topic('folders.rankings.changed', RankingsChangedSchema),
}

/** The one question between services: who may see what is in a folder? */
export const folderAccess: RequestReply<typeof GetAccessRequestSchema, typeof GetAccessResponseSchema> = {
  subject: 'folders.access.get',
  request: GetAccessRequestSchema,
  response: GetAccessResponseSchema,
}
