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
          // Each with all that it imports and no group above has: what runs first; the frame with the public screens, and what menus share
          // with other controls; menus and toasts. All else is split by what imports it.
          groups: [
            { name: 'start', test: /src\/(main|lib\/first-screen)\.ts$/, priority: 3 },
            {
              name: 'application',
              test: /src\/application\.tsx$|@radix-ui\/react-(roving-focus|presence|use-size)\//,
              priority: 2,
            },
            { name: 'overlays', test: /src\/components\/ui\/overlays\.ts$/, priority: 1 },
          ],
        },
      },
    },
  },
})
