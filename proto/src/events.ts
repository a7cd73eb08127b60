import type { DescMessage } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from './generated/skyfolio/audit/v1/audit_pb.ts'
import { GetMailRequestSchema, GetMailResponseSchema } from './generated/skyfolio/auth/v1/mail_pb.ts'
import { SessionRevokedSchema } from './generated/skyfolio/auth/v1/session_pb.ts'
import { UserChangedSchema, UserDeletedSchema } from './generated/skyfolio/auth/v1/user_pb.ts'
import { ErasureChangedSchema } from './generated/skyfolio/erasure/v1/erasure_pb.ts'
import { GetExportRequestSchema, GetExportResponseSchema } from './generated/skyfolio/export/v1/export_pb.ts'
import { GetAccessRequestSchema, GetAccessResponseSchema } from './generated/skyfolio/folders/v1/access_pb.ts'
import {
  ContentsChangedSchema,
  FolderChangedSchema,
  FolderDeletedSchema,
  RankingsChangedSchema,
} from './generated/skyfolio/folders/v1/folder_pb.ts'
import { GetBaseMapRequestSchema, GetBaseMapResponseSchema } from './generated/skyfolio/media/v1/base_map_pb.ts'
import { ExportReadySchema } from './generated/skyfolio/media/v1/export_pb.ts'
import { PhotoChangedSchema, PhotoDeletedSchema } from './generated/skyfolio/media/v1/photo_pb.ts'
import {
  CheckPrintImagesRequestSchema,
  CheckPrintImagesResponseSchema,
  PreparePrintImagesRequestSchema,
  PreparePrintImagesResponseSchema,
} from './generated/skyfolio/media/v1/print_image_pb.ts'
import { UploadFailedSchema } from './generated/skyfolio/media/v1/upload_pb.ts'
import { UsageChangedSchema } from './generated/skyfolio/media/v1/usage_pb.ts'
import { OrderChangedSchema, OrderSubmittedSchema } from './generated/skyfolio/orders/v1/order_pb.ts'
import { GetPrintingRequestSchema, GetPrintingResponseSchema } from './generated/skyfolio/orders/v1/printing_pb.ts'

/** A subject and the message that is published under it. */
export interface Topic<Schema extends DescMessage> {
  subject: string
  schema: Schema
}

/** A topic whose messages a stream stores. Its subject has the form `context.entity.verb`. */
export interface EventTopic<Schema extends DescMessage> extends Topic<Schema> {
  kind: 'event'
}

/** A contract over NATS request-reply. */
export interface RequestReply<Request extends DescMessage, Response extends DescMessage> {
  subject: string
  request: Request
  response: Response
}

/**
 * Durable events: stored by JetStream, delivered at least once, in no guaranteed order. Each process that publishes or
 * consumes events passes this table to `ensureStreams`, which derives the stream's subjects from it.
 */
export const events = {
  photoChanged: event('media.photo.changed', PhotoChangedSchema),
  photoDeleted: event('media.photo.deleted', PhotoDeletedSchema),
  folderChanged: event('folders.folder.changed', FolderChangedSchema),
  folderDeleted: event('folders.folder.deleted', FolderDeletedSchema),
  orderSubmitted: event('orders.order.submitted', OrderSubmittedSchema),
  orderChanged: event('orders.order.changed', OrderChangedSchema),
  usageChanged: event('media.usage.changed', UsageChangedSchema),
  uploadFailed: event('media.upload.failed', UploadFailedSchema),
  exportReady: event('media.export.ready', ExportReadySchema),
  userChanged: event('auth.user.changed', UserChangedSchema),
  userDeleted: event('auth.user.deleted', UserDeletedSchema),
  mediaErasureChanged: event('media.erasure.changed', ErasureChangedSchema),
  foldersErasureChanged: event('folders.erasure.changed', ErasureChangedSchema),
  ordersErasureChanged: event('orders.erasure.changed', ErasureChangedSchema),
  mediaAuditRecorded: event('media.audit.recorded', AuditRecordedSchema),
  foldersAuditRecorded: event('folders.audit.recorded', AuditRecordedSchema),
  ordersAuditRecorded: event('orders.audit.recorded', AuditRecordedSchema),
}

/** Hints: plain NATS, lost when nobody subscribes; no projection may depend on them. */
export const hints = {
  sessionRevoked: hint('auth.session.revoked', SessionRevokedSchema),
  contentsChanged: hint('folders.contents.changed', ContentsChangedSchema),
  rankingsChanged: hint('folders.rankings.changed', RankingsChangedSchema),
}

/** What the gateway tells browsers in its stream of live events: they read the named entity again. */
export const LIVE_EVENT_TYPES = [
  'photo.changed',
  'photo.deleted',
  'folder.changed',
  'folder.deleted',
  'contents.changed',
  'rankings.changed',
  'order.changed',
] as const

export interface LiveEvent {
  type: (typeof LIVE_EVENT_TYPES)[number]
  /** Of the photo, folder or order that `type` names; for rankings, of the folder; for the contents of folders, of their owner. */
  id: number
  folderId?: number
}

/** A request of media to folders: who may see the photos of a folder? */
export const folderAccess: RequestReply<typeof GetAccessRequestSchema, typeof GetAccessResponseSchema> = {
  subject: 'folders.access.get',
  request: GetAccessRequestSchema,
  response: GetAccessResponseSchema,
}

/** A request of print-orders to media: render print images of a user's photos. */
export const printImagePrepare: RequestReply<
  typeof PreparePrintImagesRequestSchema,
  typeof PreparePrintImagesResponseSchema
> = {
  subject: 'media.print-image.prepare',
  request: PreparePrintImagesRequestSchema,
  response: PreparePrintImagesResponseSchema,
}

/** A request of print-orders to media: may a user order these print images? */
export const printImageCheck: RequestReply<
  typeof CheckPrintImagesRequestSchema,
  typeof CheckPrintImagesResponseSchema
> = {
  subject: 'media.print-image.check',
  request: CheckPrintImagesRequestSchema,
  response: CheckPrintImagesResponseSchema,
}

/** A request of the gateway to print-orders: can prints be ordered? */
export const printingStatus: RequestReply<typeof GetPrintingRequestSchema, typeof GetPrintingResponseSchema> = {
  subject: 'orders.printing.get',
  request: GetPrintingRequestSchema,
  response: GetPrintingResponseSchema,
}

/** A request of the gateway to auth: can mail be sent? */
export const mailStatus: RequestReply<typeof GetMailRequestSchema, typeof GetMailResponseSchema> = {
  subject: 'auth.mail.get',
  request: GetMailRequestSchema,
  response: GetMailResponseSchema,
}

/** A request of the gateway to media: which base map does it serve? */
export const baseMapStatus: RequestReply<typeof GetBaseMapRequestSchema, typeof GetBaseMapResponseSchema> = {
  subject: 'media.base-map.get',
  request: GetBaseMapRequestSchema,
  response: GetBaseMapResponseSchema,
}

/** A request of media to a service: what it has of a user, as files of the user's export. */
export type ExportSource = RequestReply<typeof GetExportRequestSchema, typeof GetExportResponseSchema>

/** The services that contribute files to exports, beside media itself. */
export const exportSources = {
  auth: exportSource('auth.export.get'),
  folders: exportSource('folders.export.get'),
  orders: exportSource('orders.export.get'),
}

function exportSource(subject: string): ExportSource {
  return { subject, request: GetExportRequestSchema, response: GetExportResponseSchema }
}

function event<Schema extends DescMessage>(subject: string, schema: Schema): EventTopic<Schema> {
  return { kind: 'event', subject, schema }
}

function hint<Schema extends DescMessage>(subject: string, schema: Schema): Topic<Schema> {
  return { subject, schema }
}
