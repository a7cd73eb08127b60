export { type SignedIn, signedIn } from './access.ts'
export { networkOf } from './address.ts'
export { createBatches } from './batches.ts'
export {
  type Config,
  ConfigError,
  describeSettings,
  loadConfig,
  type SettingDescription,
  setting,
} from './config.ts'
export { type ConsumerOptions, caughtUp, type Handler, on, type RunningConsumer, startConsumer } from './consumer.ts'
export { readCookie, withoutCookie } from './cookies.ts'
export {
  inTransaction,
  isDatabaseUnavailable,
  isUniqueViolation,
  openPool,
  type SqlTransaction,
} from './db.ts'
export { toAppError } from './error-answers.ts'
export {
  AppError,
  badRequest,
  conflict,
  ErrorBody,
  forbidden,
  invalidFields,
  notFound,
  payloadTooLarge,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
} from './errors.ts'
export type { FoldAnswer, FoldItem } from './fold-wire.ts'
export { type FoldableRoute, foldableRoute } from './foldable-route.ts'
export { createFolds, type Folds } from './folds.ts'
export { createHealth, type Health, type Readiness } from './health.ts'
export { IDENTITY_HEADER, type Identity, signIdentity, verifyIdentity } from './identity.ts'
export { createLifetime, type Lifetime, runProcess } from './lifetime.ts'
export { createLogger, type Logger } from './logger.ts'
export { describeMetrics, type Measured, metrics } from './metrics.ts'
export { answer, ask, ensureStreams, type Listener, onHint, publishHint } from './nats.ts'
export { connectNats } from './nats-connection.ts'
export {
  type IncompleteUpload,
  type ObjectStore,
  type ObjectStoreConfig,
  openObjectStore,
  type StoredObject,
} from './object-store.ts'
export { startOps } from './ops.ts'
export { emit, type Relay, startRelay } from './outbox.ts'
export { openRedis } from './redis.ts'
export { type App, buildServer, type ServerOptions, serve, writeOpenApi } from './server.ts'
export { newSessionToken, SESSION_COOKIE, SESSION_SECONDS, type Session, sessionHash, sessionKey } from './session.ts'
export { endedSessionCookie, sessionCookie } from './session-cookie.ts'
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
} from './settings.ts'
export { inSpan, startTelemetry } from './telemetry.ts'
export { oneLine, UNPRINTABLE } from './text.ts'
export { resumeTrace, traceToStore } from './trace-context.ts'
export { isUnavailable } from './unavailable.ts'
export {
  type Format,
  maxBytesOf,
  UPLOAD_FORMATS,
  type UploadLimits,
  uploadFormats,
  uploadLimitSettings,
} from './upload-limits.ts'
export { createUserTurns } from './user-turns.ts'
