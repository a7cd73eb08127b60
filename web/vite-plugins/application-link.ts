import type { Plugin } from 'vite'
import { startFiles } from './chunk-files.ts'

/**
 * Vite plugin: names the application's scripts in the page, so that browsers load them beside the entry, which imports them when it runs.
 */
export function applicationLink(): Plugin {
  return {
    name: 'application-link',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (!bundle) return []
        return startFiles(bundle).application.map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head' as const,
        }))
      },
    },
  }
}
