import { parentPort } from 'node:worker_threads'
import { writePicture } from './pictures.ts'

// A thread of the demo: renders the flights whose indexes it receives, one after another.
parentPort?.on('message', async (index: number) => {
  await writePicture(index)
  parentPort?.postMessage(index)
})
