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
          // Each with all that it imports and that no group above has. Otherwise each set of screens that share a module is a file, and a
          // first screen begins with forty.
          groups: [
            { name: 'start', test: /src\/(main|lib\/(first-screen|remember))\.ts$/, priority: 9 },
            { name: 'first-requests', test: /src\/app\/first-requests\.ts$/, priority: 8 },
            // With what menus and toasts have in common with controls, so that neither needs the other.
            {
              name: 'application',
              test: /src\/(application\.tsx|lib\/use-countdown\.ts)$|@radix-ui\/react-(roving-focus|presence|use-size)\//,
              priority: 7,
            },
            { name: 'controls', test: /src\/components\/ui\/(tabs|field|switch)\.tsx$/, priority: 6 },
            { name: 'overlays', test: /src\/components\/ui\/overlays\.ts$/, priority: 5 },
            { name: 'icons', test: /lucide-react/, minShareCount: 2, priority: 4 },
            { name: 'photos', test: /src\/pages\/(home|folder)-page\.tsx$/, priority: 3 },
          ],
        },
      },
    },
  },
})
