import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { localText } from '../catalog/local-time.ts'
import { FAULTS, ROUTES } from '../state/faults.ts'
import { PROFILE_RULES, type Profile } from '../state/profile.ts'
import type { LogEntry } from '../state/request-log.ts'
import type { SandboxState } from '../state/state.ts'
import { Html, html } from './html.ts'
import { orderCards } from './order-cards.ts'
import { SCRIPT, STYLE } from './page-assets.ts'

const SHOWN_REQUESTS = 50

/** Names first, then codes. */
const FAULT_NAMES = Object.keys(FAULTS).sort((one, other) => Number(/^\d/.test(one)) - Number(/^\d/.test(other)))

/** The page for people. */
export function addPage(app: FastifyInstance, state: SandboxState): void {
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send())
  app.get('/', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const sources = `img-src 'self'; connect-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
    const policy = `default-src 'none'; ${sources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8')
    return renderPage(state, nonce)
  })
}

function renderPage(state: SandboxState, nonce: string): string {
  const changes = JSON.stringify({ changes: state.changes, requests: state.log.lastId })
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Partner sandbox</title><style nonce="${nonce}">${new Html(STYLE)}</style></head>
<body data-changes="${changes}"><main>
<h1>Partner sandbox: nothing is printed</h1>
<p class="dim">It behaves like the print partner. Its README describes faults, settings and the control API.</p>
<section id="clock"><h2>Clock</h2>${clockSection(state)}</section>
<section id="orders"><h2>Orders</h2>${orderCards(state)}</section>
<section id="faults"><h2>Faults</h2>${faultsSection(state)}</section>
<section id="requests"><h2>Requests</h2>${requestsSection(state)}</section>
<section id="profile"><h2>Profile</h2>${state.profiles.entries().map(profileForm)}</section>
<section id="reset"><h2>Reset</h2><form method="post" action="/forms/reset">
<p class="dim">Forgets orders, faults, profile and requests, and sets the clock to now.</p>
<button class="danger">Reset everything</button></form></section>
</main><script nonce="${nonce}">${new Html(SCRIPT)}</script></body></html>`
  return page.text
}

const TURNS = [
  ['15 minutes', 15],
  ['1 hour', 60],
  ['4 hours', 240],
  ['1 day', 1440],
] as const

function clockSection({ clock, life }: SandboxState): Html {
  const next = life.nextStepAt()
  const turns = TURNS.map(([name, minutes]) => html`<button name="minutes" value="${minutes}">+ ${name}</button>`)
  return html`<p class="now">${localText(clock.now(), 'America/Chicago')}</p>
    <p class="dim">In Duluth; ${offsetText(clock.offsetMs)}</p>
    <form method="post" action="/forms/clock"><div class="row">
    <button class="main" name="action" value="next" ${new Html(next ? '' : 'disabled')}>To the next step of an order</button>
    ${turns}<button name="action" value="reset">Back to now</button></div></form>`
}

/** `1 d 4 h 15 min ahead of the time of this machine` */
function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000))
  if (minutes === 0) return 'the time of this machine'
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const
  const text = parts.flatMap(([count, unit]) => (count > 0 ? `${count} ${unit}` : [])).join(' ')
  return `${text} ${offsetMs > 0 ? 'ahead of' : 'behind'} the time of this machine`
}

function faultsSection({ faults }: SandboxState): Html {
  const active = faults.list().map(
    (
      fault,
    ) => html`<tr><td>${fault.fault}</td><td>${fault.route}</td><td>${fault.times ?? 'until removed'}</td><td>${fault.when}</td>
    <td>${fault.hits}</td><td><button name="remove" value="${fault.id}">Remove</button></td></tr>`,
  )
  const head = html`<tr><th>Fault</th><th>Route</th><th>Times left</th><th>When</th><th>Hits</th><th></th></tr>`
  const table = html`<form method="post" action="/forms/faults"><div class="scroll"><table>${head}${active}</table></div></form>`
  return html`${active.length > 0 ? table : html`<p class="dim">None.</p>`}
    <form method="post" action="/forms/faults"><div class="row">
    <label>Fault <select name="fault">${FAULT_NAMES.map((name) => option(name))}</select></label>
    <label>Route <select name="route">${option('', 'its usual one')}${option('*', 'all')}${ROUTES.map((name) => option(name))}</select></label>
    <label>Request is executed <select name="when">${option('', 'as usual')}${option('before', 'no')}${option('after', 'yes')}</select></label>
    <label>Times <input name="times" type="number" min="1" placeholder="always" /></label>
    <button class="main">Add</button></div></form>`
}

function option(value: string, text = value, selected = false): Html {
  return html`<option value="${value}" ${new Html(selected ? 'selected' : '')}>${text}</option>`
}

function requestsSection({ log }: SandboxState): Html {
  const entries = log.list(SHOWN_REQUESTS)
  if (entries.length === 0) return html`<p class="dim">None yet.</p>`
  const head = html`<tr><th>Time</th><th>Call</th><th>Answer</th><th>ms</th><th>Faults</th><th>Details</th></tr>`
  return html`<div class="scroll"><table>${head}${entries.map(requestRow)}</table></div>`
}

function requestRow({ at, route, outcome, durationMs, faults, warnings, request, response }: LogEntry): Html {
  const notes = warnings.map((warning) => html`<p class="notice">${warning}</p>`)
  return html`<tr><td>${at.slice(11, 19)}</td><td>${route ?? ''}</td><td>${outcome}</td><td>${durationMs}</td><td>${faults.join(', ')}</td>
    <td><details><summary>${warnings.length > 0 ? 'Warnings' : 'Show'}</summary>${notes}<pre>${request}</pre><pre>${response}</pre></details></td></tr>`
}

function profileForm([affId, profile]: [string, Profile]): Html {
  const names = Object.keys(PROFILE_RULES).filter((name) => name !== 'apiKey') as (keyof Profile)[]
  return html`<details><summary>${affId}</summary><form method="post" action="/forms/profile">
    <input type="hidden" name="affId" value="${affId}" />
    <div class="grid">${names.map((name) => profileField(name, profile[name]))}</div>
    <p><button class="main">Save</button></p></form></details>`
}

function profileField(name: keyof Profile, value: Profile[keyof Profile]): Html {
  const rule = PROFILE_RULES[name]
  const choices = rule.kind === 'choice' ? rule.choices : rule.kind === 'boolean' ? ['true', 'false'] : undefined
  const options = choices?.map((text) => option(text, text, text === String(value)))
  if (options) return html`<label>${name} <select name="${name}">${options}</select></label>`
  const limits = rule.kind === 'number' ? html`type="number" min="${rule.low}" max="${rule.high}"` : ''
  return html`<label>${name} <input name="${name}" value="${String(value)}" ${limits} /></label>`
}
