import { loadConfig, runPhotoRebuild } from '@skyfolio/kit'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { DURABLE, deletePhoto, eventHandlers as handlers } from '../events.ts'

// `begin`, then media's `republish`, then `end`.
const config = loadConfig(serverSettings, process.env)
await runPhotoRebuild({ name: 'print-orders-rebuild', config, durable: DURABLE, handlers, openDatabase, deletePhoto })
