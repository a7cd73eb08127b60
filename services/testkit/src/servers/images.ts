/** The images of the servers, where they run in containers: in docker-compose.yml and in tests. */
export const SERVER_IMAGES = {
  postgres: 'postgres:17',
  redis: 'redis:7.4',
  nats: 'nats:2.12-alpine',
  minio: 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
} as const
