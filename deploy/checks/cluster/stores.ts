import { openStoredData, type StoredData } from '../faults/consistency.ts'
import { openVoteRows, type VoteRows } from '../load/vote-rows.ts'
import { forwardPort, objectName, readSecrets } from './cluster.ts'

/** Opens the release's own databases and bucket for the checks of the fault runs. */
export async function openStores(): Promise<{ evidence: StoredData; rows: VoteRows; close(): Promise<void> }> {
  const keys = await readSecrets()
  const postgres = await forwardPort(objectName('postgresql'), 5432)
  const objects = await forwardPort(objectName('minio'), 9000)
  const database = (service: string) =>
    `postgres://skyfolio:${keys['postgres-password']}@127.0.0.1:${postgres.port}/skyfolio_${service}`
  const env = {
    media: {
      DATABASE_URL: database('media'),
      S3_ENDPOINT: `http://127.0.0.1:${objects.port}`,
      S3_BUCKET: 'skyfolio',
      S3_ACCESS_KEY: keys['s3-access-key'] ?? '',
      S3_SECRET_KEY: keys['s3-secret-key'] ?? '',
    },
    folders: { DATABASE_URL: database('folders'), VOTER_KEYS: keys['voter-keys'] ?? '' },
  }
  const [evidence, rows] = [await openStoredData({ env }), openVoteRows({ env })]
  return {
    evidence,
    rows,
    async close() {
      await Promise.all([evidence.close(), rows.close()])
      postgres.close()
      objects.close()
    },
  }
}
