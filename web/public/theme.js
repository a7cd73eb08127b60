// Runs before the first paint; src/lib/theme.ts takes over when the app has started.
;(() => {
  let choice = 'system'
  try {
    choice = localStorage.getItem('theme') ?? 'system'
  } catch {
    // Storage is blocked: follow the system.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
