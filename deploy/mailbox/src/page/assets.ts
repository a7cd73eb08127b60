// Style and script of the page, inline: it is one response without further files.

export const STYLE = `
:root { color-scheme: light dark; --back: #f4f5f7; --card: #fff; --text: #1b1f24; --dim: #5b6470; --line: #d9dde3;
  --accent: #0b5cad; --chosen: #e3eefb; --bad: #b3261e; --warn-back: #fff4d6; --warn: #6b4b00 }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --card: #1e2329; --text: #e8eaed; --dim: #a3acb8;
  --line: #363d46; --accent: #8ab8f0; --chosen: #22354b; --bad: #ffb4ab; --warn-back: #3a300f; --warn: #f3d98b } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 90rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 } h1 a { color: inherit; text-decoration: none }
h2 { font-size: 1.25rem; margin: 0 0 .5rem; overflow-wrap: anywhere }
p { margin: .25rem 0 } a { color: var(--accent) }
main { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); margin-top: 1rem }
section, article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; min-width: 0 }
.dim { color: var(--dim); font-size: .9rem } .hint { padding: 1rem 0; text-align: center }
.notice { background: var(--warn-back); color: var(--warn); border-radius: .4rem; padding: .4rem .6rem; margin-bottom: .75rem }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end } .notice p, .above-list p { flex: 1; align-self: center }
.filter, .above-list { margin-top: .6rem }
button, select, input, .button { font: inherit; min-height: 2.5rem; padding: .3rem .7rem; border-radius: .4rem;
  border: 1px solid var(--line); background: var(--card); color: var(--text); max-width: 100% }
button, .button { cursor: pointer; border-color: var(--accent); color: var(--accent) }
.button { display: inline-flex; align-items: center; text-decoration: none }
button.danger { border-color: var(--bad); color: var(--bad) }
button:disabled { border-color: var(--line); color: var(--dim); cursor: default }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
label { display: grid; gap: .15rem; font-size: .85rem; color: var(--dim); min-width: 0 }
.filter label { flex: 1 1 8rem } summary { cursor: pointer; min-height: 1.5rem } details form { margin-top: .5rem }
ol { list-style: none; margin: .5rem -.5rem .75rem; padding: 0 }
li + li { border-top: 1px solid var(--line) }
li a { display: grid; padding: .6rem .5rem; color: inherit; text-decoration: none; border-radius: .3rem; overflow-wrap: anywhere }
li a:hover b { text-decoration: underline } li a[aria-current] { background: var(--chosen) }
li a:focus-visible { outline-offset: -3px }
.line { display: flex; gap: .75rem; justify-content: space-between; align-items: baseline }
time { font-variant-numeric: tabular-nums } li time { color: var(--dim); font-size: .85rem; white-space: nowrap }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .15rem .75rem; margin: 0 0 .75rem; overflow-wrap: anywhere }
dt { color: var(--dim) } dd { margin: 0 }
nav { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); margin-bottom: .75rem }
nav a { padding: .5rem .8rem; text-decoration: none; border-bottom: 3px solid transparent }
nav a[aria-current] { border-color: var(--accent); font-weight: 600 }
iframe { display: block; width: 100%; height: max(24rem, 100vh - 20rem); border: 1px solid var(--line); border-radius: .3rem; resize: vertical }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; margin: 0 }
.back { display: inline-block; padding: .3rem 0 .6rem }
@media (width < 60rem) { 
  .one section, .all #message { display: none } }
@media (width >= 60rem) { main { grid-template-columns: minmax(20rem, 26rem) minmax(0, 1fr); align-items: start }
  .back { display: none } ol { max-height: max(20rem, 100vh - 20rem); overflow-y: auto } }
`

/** Shows times of the browser's zone, and new messages as they come. */
export const SCRIPT = `
const showTimes = () => {
  const today = new Date().toDateString()
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    const isToday = at.toDateString() === today
    time.textContent = isToday ? at.toLocaleTimeString() : at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
  }
}
const showNewMessages = (page) => {
  const focused = document.activeElement?.getAttribute('href')
  document.querySelector('#list').replaceWith(page.querySelector('#list'))
  const [count, button] = ['#count', 'button.danger'].map((selector) => document.querySelector(selector))
  count.textContent = page.querySelector('#count').textContent
  button.disabled = page.querySelector('button.danger').disabled
  showTimes()
  if (focused && document.activeElement === document.body) document.querySelector('#list a[href="' + CSS.escape(focused) + '"]')?.focus()
}
let changes = document.body.dataset.changes
const look = async () => {
  if (document.hidden) return
  const response = await fetch('/api/changes')
  const now = response.ok ? String((await response.json()).changes) : changes
  if (now === changes) return
  const page = await fetch(location.href)
  showNewMessages(new DOMParser().parseFromString(await page.text(), 'text/html'))
  changes = now
}
showTimes()
setInterval(() => look().catch(() => {}), 2000)
`
