export { type BatchClient, createBatchClient } from './batching/batch-client.ts'
export { type BatchRoute, batchRoute } from './batching/batch-route.ts'
export type { BatchedRequest, BatchedResponse } from './batching/batch-wire.ts'
export { createBatcher } from './batching/batcher.ts'
export { type AuditEntry, createViewAudit, recordAudit, type ViewAudit } from './events/audit.ts'
export {
  beginRebuild,
  endRebuild,
  type PhotoDeletion,
  runPhotoRebuild,
  runRebuild,
  runRepublish,
} from './events/commands.ts'
export {
  type ConsumerOptions,
  type Handler,
  onEvent,
  type RunningConsumer,
  startConsumer,
  waitUntilCaughtUp,
} from './events/consumer.ts'
export type { NatsSubscription } from './events/core-nats.ts'
export { onHint, publishHint, sendRequest, serveRequests } from './events/core-nats.ts'
export { type DeadLetter, deadLetters, discard as discardDeadLetter } from './events/dead-letters.ts'
export {
  type ErasureDeps,
  type ErasureProgress,
  eraseRequested,
  requestErasure,
  startErasures,
} from './events/erasures.ts'
export { connectNats, openNats } from './events/nats-connection.ts'
export { deleteOldEvents, emit, type Relay, startRelay } from './events/outbox.ts'
export { ensureStreams } from './events/streams.ts'
export { GATEWAY_HEADER, requireRecentPassword, requireUser, type UserIdentity } from './http/access.ts'
export { clientAddress, isProxy, networkOf, proxyTrust, siteOf } from './http/client-network.ts'
export { toAppError } from './http/error-responses.ts'
export {
  AppError,
  accountDeleted,
  accountErasing,
  badRequest,
  conflict,
  cursorInvalid,
  ErrorBody,
  errorFieldResponses,
  errorResponses,
  forbidden,
  invalidFields,
  notFound,
  payloadTooLarge,
  requestCutOff,
  requestTimeout,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
} from './http/errors.ts'
export {
  acceptsGzip,
  compressJson,
  contentVersion,
  isEmbedded,
  matchesEntityTag,
  readCookie,
  withoutCookie,
} from './http/headers.ts'
export {
  IDENTITY_HEADER,
  type Identity,
  isSigned,
  sign,
  signIdentity,
  verifyIdentity,
  visitorIdentity,
} from './http/identity.ts'
export { enforceMinimumRate, isWaitingForServer, type MinimumRateOptions } from './http/minimum-rate.ts'
export { declareLimits } from './http/request-log.ts'
export { type App, buildServer, type ServerOptions, serve, writeOpenApi } from './http/server.ts'
export {
  DEVICE_COOKIE,
  expiredSessionCookie,
  newSessionToken,
  passwordEnteredAt,
  SESSION_COOKIE,
  SESSION_SECONDS,
  type Session,
  sessionCookie,
  sessionHash,
  sessionKey,
} from './http/session.ts'
export type { SlowReaderOptions } from './http/slow-readers.ts'
export { Nullable, oneLine, UNPRINTABLE, withoutZone } from './http/validation.ts'
export {
  createLinkCookies,
  isUnlocked,
  type LinkCookie,
  type LinkCookies,
  type Pair,
  passwordRequired,
  revisionsOf,
} from './links/link-cookies.ts'
export {
  CARD,
  createPublicNames,
  isPublicName,
  type PictureKind,
  type PublicName,
  type PublicNames,
} from './links/public-names.ts'
export { type ObjectStoreConfig, openObjectStore } from './object-store/object-store.ts'
export { missingOf, PartMismatch, UnknownUpload } from './object-store/parts.ts'
export type {
  DirectParts,
  IncompleteUpload,
  ObjectStore,
  PartAdmission,
  PartedUpload,
  PartSpec,
  PartStore,
  SignedPart,
  StoredObject,
} from './object-store/types.ts'
export {
  inTransaction,
  isDatabaseUnavailable,
  isDeadlock,
  isUniqueViolation,
  openPool,
  preparedStatements,
  type SqlTransaction,
} from './postgres/database.ts'
export {
  type Config,
  ConfigError,
  describeSettings,
  loadConfig,
  type SettingDescription,
  setting,
} from './process/config.ts'
export {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  LARGEST_SHARE,
  LISTS_OF_USER,
} from './process/fair-queue.ts'
export { freeBuffersOf } from './process/free-buffers.ts'
export { createHealth, type Health, type Readiness } from './process/health.ts'
export { createLifetime, type Lifetime, runProcess } from './process/lifetime.ts'
export { createLogger, type Logger } from './process/logger.ts'
export { startOps } from './process/ops-server.ts'
export { repeat } from './process/repeat.ts'
export {
  commonSettings,
  databaseSettings,
  deletionSettings,
  directUploadSettings,
  identitySettings,
  linkSettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  originSettings,
  publicStoreSettings,
  redisSettings,
  streamSettings,
  uploadSettings,
} from './process/settings.ts'
export { isStorageFull } from './process/storage-full.ts'
export { isUnavailable } from './process/unavailable.ts'
export { within } from './process/within.ts'
export { ACTIVITY_KEY, writeActivity } from './redis/activity.ts'
export { openRedis } from './redis/redis.ts'
export { describeMetrics, type Measurement, metrics } from './telemetry/metrics.ts'
export { inSpan, startTelemetry } from './telemetry/telemetry.ts'
export { traceHeaders } from './telemetry/trace-context.ts'
