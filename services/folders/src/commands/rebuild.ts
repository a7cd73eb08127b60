import { loadConfig, runPhotoRebuild } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, deletePhoto, photoHandlers as handlers } from '../events.ts'

// `begin`, then media's `republish`, then `end`.
const config = loadConfig(serverSettings, process.env)
await runPhotoRebuild({ name: 'folders-rebuild', config, durable: DURABLE, handlers, openDatabase, deletePhoto })
