import type { Plugin } from 'vite'

const DISPLAY_NAME = /^[\w$]+\.displayName = [^;\n]+;$/gm
const CREATION = /= (React\w*\.(?:createContext|forwardRef|memo)\()/g

/**
 * Vite plugin: marks the components that packages create with React's functions as free of side effects, and removes their display names,
 * which only developer tools read. Otherwise unused ones stay in the build with all that they import, a fifth of react-router.
 */
export function dropUnusedComponents(): Plugin {
  return {
    name: 'drop-unused-components',
    apply: 'build',
    transform: {
      filter: { id: /node_modules/, code: '.displayName = ' },
      handler: (code) => ({
        code: code.replace(DISPLAY_NAME, '').replace(CREATION, '= /* @__PURE__ */ $1'),
        map: null,
      }),
    },
  }
}
