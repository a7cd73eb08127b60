// Style and script of the pages, inline: each is one response without further files.

export const STYLE = `
:root { color-scheme: light dark; --dim: light-dark(#5b6470, #a3acb8); --line: light-dark(#d9dde3, #363d46);
  --accent: light-dark(#0b5cad, #8ab8f0) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: light-dark(#fff, #1e2329);
  color: light-dark(#1b1f24, #e8eaed); font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem } a { color: var(--accent) }
.dim, dt { color: var(--dim) }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; justify-content: space-between }
label { display: grid; flex: 1 } button, input { font: inherit; min-height: 2.5rem; padding: .3rem .7rem; min-width: 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
ol { list-style: none; padding: 0 } li { border-top: 1px solid var(--line) }
h1 a, li a { display: grid; padding: .6rem 0; color: inherit; text-decoration: none }
.line { display: flex; gap: .75rem; justify-content: space-between }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .15rem .75rem } dd { margin: 0 }
iframe { width: 100%; height: max(24rem, 100vh - 20rem); border: 1px solid var(--line); background: #fff }
summary { padding: .5rem 0; cursor: pointer } pre { white-space: pre-wrap }
`

/** Shows times of the browser's zone, and new messages as they come. */
export const SCRIPT = `
const showTimes = () => {
  for (const time of document.querySelectorAll('time')) time.textContent = new Date(time.dateTime).toLocaleString()
}
const look = async () => {
  const list = document.querySelector('#list')
  if (document.hidden || !list) return
  const { changes } = await (await fetch('/api/changes')).json()
  if (String(changes) === list.dataset.changes) return
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
  const focused = list.contains(document.activeElement) && document.activeElement.getAttribute('href')
  list.replaceWith(page.querySelector('#list'))
  showTimes()
  if (focused) document.querySelector('#list a[href="' + CSS.escape(focused) + '"]')?.focus()
}
showTimes()
setInterval(() => look().catch(() => {}), 2000)
`
