/**
 * Whether the gateway sent this page to a browser without a session cookie: then nobody is signed in, and asking would
 * end in an error that browsers log. True once at most, since somebody may sign in later. A page from the history may
 * come from the cache and be older than a session, so it says nothing.
 */
export function takeVisitorMark(): boolean {
  const isMarked = hasVisitorMark()
  delete document.documentElement.dataset.visitor
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return isMarked && (navigation?.type === 'navigate' || navigation?.type === 'reload')
}

/** Whether the page came to a browser without a session cookie, however old the page is. */
export function hasVisitorMark(): boolean {
  return document.documentElement.dataset.visitor !== undefined
}
