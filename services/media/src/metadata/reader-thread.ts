import { parentPort } from 'node:worker_threads'
import { toDisplayGroups } from './display-groups.ts'
import { readFacts } from './facts.ts'
import type { FileMetadata, ReadRequest } from './metadata-reader.ts'
import { parseAllTags, parseFactTags } from './parse-exif.ts'

// The worker thread of metadata-reader.ts: whatever a hostile file makes the parser do ends with this thread.

parentPort?.on('message', async ({ file, withGroups }: ReadRequest) => {
  const facts = readFacts(await parseFactTags(file))
  const groups = withGroups ? toDisplayGroups(await parseAllTags(file)) : {}
  parentPort?.postMessage({ facts, groups } satisfies FileMetadata)
})
parentPort?.postMessage('ready')
