import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { applicationLink } from './vite-plugins/application-link.ts'
import { dropUnusedComponents } from './vite-plugins/drop-unused-components.ts'
import { precompress } from './vite-plugins/precompress.ts'
import { signInFiles } from './vite-plugins/sign-in-files.ts'

const api = process.env.SKYFOLIO_API ?? 'http://127.0.0.1:8080'
// Not `/api-docs`, which is a page.
const proxy = { '/api/': { target: api } }

/** Modules that several screens of signed-in users begin with: each would be a request of its own. */
const SHARED = [
  'api/(account|flights|orders|printing|use-guarded-mutation)',
  'components/(relative-time|visibility-switch|ui/tooltip)',
  'features/(account/settings-store|folders/(folder-card|later-folder-dialogs)|upload/dialog-state)',
  'lib/(leave-guard|use-now|use-typed-search)',
  'photos/(cards/photo-covers|open-print-wizard|use-printing|use-settings)',
]

/** Modules of dialogs, which every screen loads after its first pictures. */
const WITH_DIALOGS = [
  'app/session',
  'components/(unsaved-edits|ui/(confirm-dialog|dialog|interactive-tooltip))',
  'lib/(clipboard|money|use-file-drop)',
]

export default defineConfig({
  plugins: [react(), tailwindcss(), dropUnusedComponents(), applicationLink(), signInFiles(), precompress()],
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
            { name: 'start', test: /src\/(main|lib\/first-screen)\.ts$/, priority: 9 },
            { name: 'first-requests', test: /src\/app\/first-requests\.ts$/, priority: 8 },
            { name: 'application', test: /src\/application\.tsx$/, priority: 7 },
            // What menus and toasts have in common with the controls below.
            {
              name: 'primitives',
              test: /@radix-ui\/(primitive|react-(collection|presence|roving-focus|use-size))\/|icons\/(check|circle-check|info|triangle-exclamation-point)\.mjs$|ui\/switch-picture\.tsx$|lib\/use-countdown\.ts$/,
              priority: 6,
            },
            {
              name: 'controls',
              test: /@radix-ui\/react-(tabs|toggle-group|switch|progress)\/|src\/components\/(storage-meter|ui\/(tabs|field|switch|progress))\.tsx$/,
              priority: 5,
            },
            // What every screen loads after its first pictures.
            {
              name: 'overlays',
              test: /@radix-ui\/react-(dropdown-menu|menu|toast)\/|src\/components\/ui\/(opened-menu|toast-viewport)\.tsx$/,
              priority: 4,
            },
            { name: 'dialogs', test: new RegExp(`@radix-ui/|src/(${WITH_DIALOGS.join('|')})\\.tsx?$`), priority: 3 },
            {
              name: 'forms',
              test: /node_modules\/(zod|react-hook-form|@hookform)\/|src\/(lib\/(zod|password-rules|server-fields)|components\/ui\/alert-text|features\/account\/(account-channel|profile-draft))\.tsx?$/,
              priority: 3,
            },
            // Small modules of the gallery, a folder and other screens.
            { name: 'shared', test: new RegExp(`src/(${SHARED.join('|')})\\.tsx?$`), priority: 2 },
            { name: 'photo-browser', test: /src\/photos\/browser\/photo-browser\.tsx$/, priority: 1 },
            { name: 'signed-in', test: /src\/app\/(avatar-menu|signed-in-centers|theme-menu)\.tsx?$/, priority: 0 },
            {
              name: 'photo-dialogs',
              test: /src\/photos\/(browser\/(bulk-dialogs|filter-sheet|help-dialog)|grid\/photo-dialogs|download-dialog|folder-choice-dialog|new-folder)\.tsx$/,
              priority: 0,
            },
            // Otherwise each icon that several pages have is a request of its own.
            { name: 'icons', test: /lucide-react/, minShareCount: 2, priority: 5 },
          ],
        },
      },
    },
  },
})
