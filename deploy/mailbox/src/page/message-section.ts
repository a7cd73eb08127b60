import { headerSection, type Message } from '../state/message.ts'
import { type Html, html } from './html.ts'
import { timeOf } from './list-section.ts'

const VIEWS = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' } as const
type View = keyof typeof VIEWS

export function isView(text: string | undefined): text is View {
  return text !== undefined && Object.hasOwn(VIEWS, text)
}

/** One message in one of its views. */
export function messageSection(shown: { message: Message; raw: Buffer; view: View; to: string }): Html {
  const { message, to } = shown
  const back = to ? `/?${new URLSearchParams({ to })}` : '/'
  const tabs = (Object.keys(VIEWS) as View[]).map((view) => {
    const query = new URLSearchParams({ view, ...(to && { to }) })
    const current = view === shown.view ? html`aria-current="page"` : ''
    return html`<a href="/messages/${message.id}?${query.toString()}" ${current}>${VIEWS[view]}</a>`
  })
  return html`<a class="back" href="${back}">All messages</a>
    <h2>${message.subject || '(no subject)'}</h2>
    <dl><dt>From</dt><dd>${message.from || message.sender}</dd><dt>To</dt><dd>${message.to.join(', ')}</dd>
    <dt>Received</dt><dd>${timeOf(message.date)}</dd>${attachmentsOf(message)}</dl>
    <nav aria-label="Views of the message">${tabs}</nav>
    ${content(shown)}`
}

function attachmentsOf({ attachments }: Message): Html | string {
  if (attachments.length === 0) return ''
  const names = attachments.map(({ name, type, bytes }) => `${name || 'unnamed'} (${type}, ${bytes} B)`)
  return html`<dt>Attachments</dt><dd>${names.join(', ')}</dd>`
}

function content({ message, raw, view }: { message: Message; raw: Buffer; view: View }): Html {
  switch (view) {
    case 'html':
      if (!message.html) return html`<p class="hint dim">This message has no HTML.</p>`
      return html`<iframe title="The message as HTML" src="/messages/${message.id}/html"
        sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>`
    case 'text':
      if (!message.text) return html`<p class="hint dim">This message has no text.</p>`
      return html`<pre tabindex="0">${withLinks(message.text)}</pre>`
    case 'headers':
      return html`<pre tabindex="0">${headerSection(raw).toString('utf8')}</pre>`
    case 'source':
      return html`<pre tabindex="0">${raw.toString('utf8')}</pre>`
  }
}

/** Addresses of web pages become links. */
function withLinks(text: string): Html[] {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/).map((part, index) => {
    const isLink = index % 2 === 1 && URL.canParse(part)
    return isLink ? html`<a href="${part}" target="_blank" rel="noreferrer noopener">${part}</a>` : html`${part}`
  })
}
