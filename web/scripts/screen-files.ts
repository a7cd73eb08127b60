import { basename } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle

const PAGE = /\/src\/pages\/[\w-]+-page\.tsx$/

/** The file and all that it imports statically. */
function filesOf(bundle: Bundle, file: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[file]
  if (found.has(file) || chunk?.type !== 'chunk') return found
  found.add(file)
  for (const imported of chunk.imports) filesOf(bundle, imported, found)
  return found
}

/**
 * Vite plugin: writes screens.json, with the scripts of each page of `src/pages` beyond those that every page starts with. The gateway
 * names them in the page (gateway/src/pages/screen-files.ts), so that browsers load them beside the start, not after it.
 */
export function screenFiles(): Plugin {
  return {
    name: 'screen-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const start = new Set(
        chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...filesOf(bundle, fileName)]),
      )
      const screens: Record<string, string[]> = {}
      for (const { fileName, facadeModuleId } of chunks) {
        if (!facadeModuleId || !PAGE.test(facadeModuleId)) continue
        const files = [...filesOf(bundle, fileName)].filter((file) => !start.has(file))
        screens[basename(facadeModuleId, '-page.tsx')] = files.map((file) => `/${file}`)
      }
      this.emitFile({ type: 'asset', fileName: 'screens.json', source: JSON.stringify(screens) })
    },
  }
}
