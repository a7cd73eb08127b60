import type { Plugin, Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle

const SIGN_IN_PAGE = /\/src\/pages\/auth-page\.tsx$/

/** Collects the file and all that it imports statically. */
function collectFiles(bundle: Bundle, file: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[file]
  if (found.has(file) || chunk?.type !== 'chunk') return found
  found.add(file)
  for (const imported of chunk.imports) collectFiles(bundle, imported, found)
  return found
}

/**
 * Vite plugin: writes sign-in-files.json, the scripts of the sign-in form beyond those that every page starts with. The gateway names
 * them in the page (gateway/src/pages/sign-in-files.ts), so that browsers load them beside the start, not after it.
 */
export function signInFiles(): Plugin {
  return {
    name: 'sign-in-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const page = chunks.find(({ facadeModuleId }) => facadeModuleId && SIGN_IN_PAGE.test(facadeModuleId))
      if (!page) throw new Error('the build has no sign-in page')
      const start = new Set(
        chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...collectFiles(bundle, fileName)]),
      )
      const files = [...collectFiles(bundle, page.fileName)].filter((file) => !start.has(file))
      const source = JSON.stringify(files.map((file) => `/${file}`))
      this.emitFile({ type: 'asset', fileName: 'sign-in-files.json', source })
    },
  }
}
