// Style and script of the page, inline: it is one response without further files.

export const STYLE = `
:root { color-scheme: light dark; --back: #f4f5f7; --card: #fff; --text: #1b1f24; --dim: #5b6470; --line: #d9dde3;
  --accent: #0b5cad; --on-accent: #fff; --bad: #b3261e; --good: #1a6e3c; --warn-back: #fff4d6; --warn: #6b4b00 }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --card: #1e2329; --text: #e8eaed; --dim: #a3acb8;
  --line: #363d46; --accent: #8ab8f0; --on-accent: #10233a; --bad: #ffb4ab; --good: #86d9a3; --warn-back: #3a300f; --warn: #f3d98b } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.15rem; margin: 0 0 .75rem } h3 { font-size: 1rem; margin: 0 }
p { margin: .25rem 0 } a { color: var(--accent) }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 1rem 0; min-width: 0 }
.dim { color: var(--dim); font-size: .9rem } .bad { color: var(--bad) } .good { color: var(--good) }
.notice { background: var(--warn-back); color: var(--warn); border-radius: .4rem; padding: .4rem .6rem; margin: .5rem 0 0 }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end } .row + .row, form + form { margin-top: .5rem }
.now { font-size: 1.4rem; font-variant-numeric: tabular-nums }
button, select, input { font: inherit; min-height: 2.5rem; padding: .3rem .7rem; border-radius: .4rem; border: 1px solid var(--line);
  background: var(--card); color: var(--text); max-width: 100% }
button { cursor: pointer; border-color: var(--accent); color: var(--accent) }
button.main { background: var(--accent); color: var(--on-accent) }
button.danger { border-color: var(--bad); color: var(--bad) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
label { display: grid; gap: .15rem; font-size: .85rem; color: var(--dim); min-width: 0 }
label input[type=number] { width: 7rem }
.orders { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)) }
.order { border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; min-width: 0; overflow-wrap: anywhere }
.order header { display: flex; flex-wrap: wrap; gap: .3rem .8rem; justify-content: space-between; align-items: baseline }
.status { font-weight: 600 }
.prints { display: flex; flex-wrap: wrap; gap: .8rem; margin: .7rem 0; padding: 0; list-style: none }
.prints li { width: 8.5rem; font-size: .85rem }
.sheet { display: grid; place-items: center; height: 8.5rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back) }
.sheet img { max-width: 8rem; max-height: 8rem; width: auto; height: auto; display: block; box-shadow: 0 1px 4px #0006; border: 3px solid #fff }
details { margin-top: .5rem } td details { margin: 0 } summary { cursor: pointer }
ol.life { margin: .3rem 0; padding-left: 1.2rem; font-size: .9rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; padding: .45rem .6rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; max-width: 75vw; margin: .3rem 0 }
.grid { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)) }
.grid label input, .grid select { width: 100% }
`

/** Reloads the page after a change, unless somebody is filling in a form. */
export const SCRIPT = `
const state = document.body.dataset.changes
setInterval(async () => {
  if (document.hidden || document.activeElement?.matches('input, select') || document.querySelector('details[open]')) return
  const response = await fetch('/changes').catch(() => undefined)
  if (response?.ok && JSON.stringify(await response.json()) !== state) location.reload()
}, 3000)
`
