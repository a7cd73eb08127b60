import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './vite-plugins/precompress.ts'

const api = process.env.SKYFOLIO_API ?? 'http://127.0.0.1:8080'
// Not `/api-docs`, which is a page.
const proxy = { '/api/': { target: api } }

export default defineConfig({
  plugins: [react(), tailwindcss(), precompress()],
  resolve: {
    alias: {
      'react-remove-scroll': fileURLToPath(new URL('src/lib/react-remove-scroll.tsx', import.meta.url)),
    },
  },
  server: { proxy },
  preview: { proxy },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    // The gateway names the application's scripts in the page.
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Radix names its functions by calls of it, which keep unused ones in the build.
      treeshake: { manualPureFunctions: ['__name'] },
      output: {
        codeSplitting: {
          groups: [
            // With all that they import: the entry, which visitors wait for, and React with what every screen has.
            { name: 'start', test: /src\/(main|lib\/(first-screen|remember))\.ts$/, priority: 3 },
            {
              name: 'application',
              test: /src\/(application\.tsx|lib\/use-countdown\.ts)$|@radix-ui\/react-(roving-focus|presence|use-size)\//,
              priority: 2,
            },
            { name: 'overlays', test: /src\/components\/ui\/overlays\.ts$/, priority: 1 },
            // What three screens or dialogs have in common, but no map, form or dialog. Otherwise each set of screens that share a module is
            // a file, and a first screen begins with forty.
            {
              name: 'shared',
              test: /web\/src\/(?!map\/|lib\/forms|.*\/dialog)|lucide|tanstack|react-(switch|tabs|toggle)/,
              minShareCount: 3,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
})
