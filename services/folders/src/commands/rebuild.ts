import { loadConfig, runPhotoRebuild } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, deletePhoto, photoHandlers } from '../events.ts'

// `begin`, then media's `republish`, then `end`.
const config = loadConfig(serverSettings, process.env)
const handlers = photoHandlers(() => {})
await runPhotoRebuild({ name: 'folders-rebuild', config, durable: DURABLE, handlers, openDatabase, deletePhoto })
