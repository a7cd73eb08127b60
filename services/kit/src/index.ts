export { type BatchClient, createBatchClient } from './batching/batch-client.ts'
export { type BatchRoute, batchRoute } from './batching/batch-route.ts'
export type { BatchedRequest, BatchedResponse } from './batching/batch-wire.ts'
export { createBatcher } from './batching/batcher.ts'
export {
  type ConsumerOptions,
  type Handler,
  onEvent,
  type RunningConsumer,
  startConsumer,
  waitUntilCaughtUp,
} from './events/consumer.ts'
export { onHint, publishHint } from './events/hints.ts'
export { connectNats, openNats } from './events/nats-connection.ts'
export { emit, type Relay, startRelay } from './events/outbox.ts'
export { beginRebuild, endRebuild, type PhotoDeletion } from './events/photo-projection.ts'
export { sendRequest, serveRequests } from './events/request-reply.ts'
export { ensureStreams } from './events/streams.ts'
export type { NatsSubscription } from './events/subscription.ts'
export { requireUser, type UserIdentity } from './http/access.ts'
export { networkOf } from './http/client-network.ts'
export { readCookie, withoutCookie } from './http/cookies.ts'
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
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
} from './http/errors.ts'
export { IDENTITY_HEADER, type Identity, signIdentity, verifyIdentity } from './http/identity.ts'
export { Nullable } from './http/nullable.ts'
export { type App, buildServer, type ServerOptions, serve, writeOpenApi } from './http/server.ts'
export {
  newSessionToken,
  SESSION_COOKIE,
  SESSION_SECONDS,
  type Session,
  sessionHash,
  sessionKey,
} from './http/session.ts'
export { expiredSessionCookie, sessionCookie } from './http/session-cookie.ts'
export { oneLine, UNPRINTABLE } from './http/text.ts'
export { type ObjectStoreConfig, openObjectStore } from './object-store/object-store.ts'
export type { IncompleteUpload, ObjectStore, StoredObject } from './object-store/types.ts'
export {
  inTransaction,
  isDatabaseUnavailable,
  isDeadlock,
  isUniqueViolation,
  openPool,
  type SqlTransaction,
} from './postgres/database.ts'
export {
  type Config,
  ConfigError,
  describeSettings,
  integerSettings,
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
  identitySettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  originSettings,
  redisSettings,
  streamSettings,
} from './process/settings.ts'
export { isUnavailable } from './process/unavailable.ts'
export { openRedis } from './redis/redis.ts'
export { describeMetrics, type Measurement, metrics } from './telemetry/metrics.ts'
export { inSpan, startTelemetry } from './telemetry/telemetry.ts'
export { resumeTrace, traceToStore } from './telemetry/trace-context.ts'
