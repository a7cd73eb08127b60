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
export { acceptsGzip } from './http/accepts-gzip.ts'
export { GATEWAY_HEADER, requireUser, type UserIdentity } from './http/access.ts'
export { clientAddress, isProxy, networkOf, proxyTrust, siteOf } from './http/client-network.ts'
export { compressJson } from './http/compress-json.ts'
export { readCookie, withoutCookie } from './http/cookies.ts'
export { matchesEntityTag } from './http/entity-tag.ts'
export { toAppError } from './http/error-responses.ts'
export {
  AppError,
  badRequest,
  conflict,
  ErrorBody,
  errorFieldResponses,
  errorResponses,
  forbidden,
  invalidFields,
  notFound,
  payloadTooLarge,
  requestTimeout,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
} from './http/errors.ts'
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
export { Nullable } from './http/nullable.ts'
export { pipeBody } from './http/pipe-body.ts'
export { passwordEnteredAt, requireRecentPassword } from './http/recent-password.ts'
export { declareLimits } from './http/request-log.ts'
export { type App, buildServer, type ServerOptions, serve, writeOpenApi } from './http/server.ts'
export {
  DEVICE_COOKIE,
  newSessionToken,
  SESSION_COOKIE,
  SESSION_SECONDS,
  type Session,
  sessionHash,
  sessionKey,
} from './http/session.ts'
export { expiredSessionCookie, sessionCookie } from './http/session-cookie.ts'
export type { SlowReaderOptions } from './http/slow-readers.ts'
export { oneLine, UNPRINTABLE } from './http/text.ts'
export { createLinkCookie, type LinkCookie } from './links/link-cookie.ts'
export {
  createPublicNames,
  isPublicName,
  type PictureKind,
  type PublicName,
  type PublicNames,
} from './links/public-names.ts'
export { type ObjectStoreConfig, openObjectStore } from './object-store/object-store.ts'
export { missingOf } from './object-store/part-body.ts'
export { PartMismatch, UnknownUpload } from './object-store/part-errors.ts'
export type {
  BeginOptions,
  DirectParts,
  IncompleteUpload,
  ObjectStore,
  PartAdmission,
  PartedUpload,
  PartSpec,
  PartStore,
  SignedPart,
  StoredObject,
  StoredPart,
} from './object-store/types.ts'
export {
  inSqlTransaction,
  inTransaction,
  isDatabaseUnavailable,
  isDeadlock,
  isUniqueViolation,
  openPool,
  type SqlTransaction,
  sqlOf,
} from './postgres/database.ts'
export {
  type Config,
  ConfigError,
  describeSettings,
  loadConfig,
  type SettingDescription,
  setting,
} from './process/config.ts'
export { createHealth, type Health, type Readiness } from './process/health.ts'
export { createLifetime, type Lifetime, runProcess } from './process/lifetime.ts'
export { createLimiter, type Limiter } from './process/limiter.ts'
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
export { createShares, LARGEST_SHARE } from './process/shares.ts'
export { isStorageFull } from './process/storage-full.ts'
export { isUnavailable } from './process/unavailable.ts'
export { within } from './process/within.ts'
export { ACTIVITY_KEY, writeActivity } from './redis/activity.ts'
export { openRedis } from './redis/redis.ts'
export { describeMetrics, type Measurement, metrics } from './telemetry/metrics.ts'
export { inSpan, startTelemetry } from './telemetry/telemetry.ts'
export { traceHeaders } from './telemetry/trace-context.ts'
