import type { Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle

const FIRST_REQUESTS = /\/src\/app\/first-requests\.ts$/
const APPLICATION = /\/src\/application\.tsx$/

/** Collects the file and all that it imports statically. */
function collectFiles(bundle: Bundle, file: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[file]
  if (found.has(file) || chunk?.type !== 'chunk') return found
  found.add(file)
  for (const imported of chunk.imports) collectFiles(bundle, imported, found)
  return found
}

/** The scripts of the chunk of this module. @throws Error when the build has none */
export function filesOf(bundle: Bundle, module: RegExp): string[] {
  const chunk = Object.values(bundle).find(
    (output) => output.type === 'chunk' && output.moduleIds.some((id) => module.test(id)),
  )
  if (!chunk) throw new Error(`the build has no chunk of ${module}`)
  return [...collectFiles(bundle, chunk.fileName)]
}

/**
 * The scripts that every page starts with: the entry's and the application's.
 * @throws Error when the first requests would wait for the application
 */
export function startFiles(bundle: Bundle): { entry: string[]; application: string[] } {
  const entry = Object.values(bundle)
    .filter((output) => output.type === 'chunk' && output.isEntry)
    .flatMap(({ fileName }) => [...collectFiles(bundle, fileName)])
  const application = filesOf(bundle, APPLICATION).filter((file) => !entry.includes(file))
  const waiting = filesOf(bundle, FIRST_REQUESTS).filter((file) => application.includes(file))
  if (waiting.length > 0) throw new Error(`the first requests import ${waiting}`)
  return { entry, application }
}
