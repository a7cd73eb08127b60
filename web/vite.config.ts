import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './scripts/precompress.ts'
import { signInFiles } from './scripts/sign-in-files.ts'

const api = process.env.SKYFOLIO_API ?? 'http://127.0.0.1:8080'
// Not `/api-docs`, which is a page.
const proxy = { '/api/': { target: api } }

export default defineConfig({
  plugins: [react(), tailwindcss(), signInFiles(), precompress()],
  resolve: {
    alias: {
      // The original writes <style> elements, which our Content-Security-Policy forbids.
      'react-style-singleton': fileURLToPath(new URL('src/lib/react-style-singleton.ts', import.meta.url)),
    },
  },
  server: { proxy },
  preview: { proxy },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // One chunk for all that a file imports statically: several smaller ones compress worse.
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', test: /src\/main\.tsx$/, priority: 2 },
            // What the voting page loads after its first pictures.
            {
              name: 'voting',
              test: /src\/(features\/share\/rank-choices|components\/ui\/toast-viewport)\.tsx$/,
              priority: 1,
            },
            // Otherwise each icon that several pages have is a request of its own.
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
          ],
        },
      },
    },
  },
})
