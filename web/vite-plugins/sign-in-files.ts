import type { Plugin } from 'vite'
import { filesOf, startFiles } from './chunk-files.ts'

const SIGN_IN_PAGE = /\/src\/pages\/auth-page\.tsx$/

/**
 * Vite plugin: writes sign-in-files.json, the scripts of the sign-in form beyond those that every page starts with. The gateway names
 * them in the page (gateway/src/pages/sign-in-files.ts), so that browsers load them beside the start, not after it.
 */
export function signInFiles(): Plugin {
  return {
    name: 'sign-in-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const { entry, application } = startFiles(bundle)
      const files = filesOf(bundle, SIGN_IN_PAGE).filter((file) => ![...entry, ...application].includes(file))
      const source = JSON.stringify(files.map((file) => `/${file}`))
      this.emitFile({ type: 'asset', fileName: 'sign-in-files.json', source })
    },
  }
}
