import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(html|js|css|svg|json|txt)$/
const SMALLEST_BYTES = 1024

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < SMALLEST_BYTES) return
  const brotli = await promisify(brotliCompress)(content, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  })
  await writeFile(`${path}.br`, brotli)
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** Vite plugin: writes a .br and a .gz beside every text file of the build, so that the gateway never compresses. */
export function precompress(): Plugin {
  let directory = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      directory = join(config.root, config.build.outDir)
    },
    async closeBundle() {
      const names = await readdir(directory, { recursive: true })
      await Promise.all(
        names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compressFile(join(directory, name))),
      )
    },
  }
}
