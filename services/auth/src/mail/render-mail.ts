/** A link as a button; its address is also shown, for clients without buttons. */
export interface Action {
  label: string
  url: string
}

/** A paragraph, a list, or a button. */
export type Block = string | { items: string[] } | Action

export interface MailContent {
  subject: string
  title: string
  blocks: Block[]
  /** In small letters: who gets the mail and why. */
  footer: string[]
}

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const MAX_SUBJECT = 150
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu
/** Characters that are not seen or turn the text around them, but for those that `quote` sets around names. */
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2061-\u2067\u206a-\u206f\ufeff]/gu

/** One mail as plain text and as HTML. Every value is text: none of it becomes markup, a header or a new line. */
export function renderMail(content: MailContent): RenderedMail {
  const cleaned = cleanContent(content)
  return { subject: cleaned.subject, text: renderText(cleaned), html: renderHtml(cleaned) }
}

function cleanContent({ subject, title, blocks, footer }: MailContent): MailContent {
  return {
    subject: shorten(clean(subject), MAX_SUBJECT),
    title: clean(title),
    blocks: blocks.map(cleanBlock),
    footer: footer.map(clean),
  }
}

function cleanBlock(block: Block): Block {
  if (typeof block === 'string') return clean(block)
  if ('items' in block) return { items: block.items.map(clean) }
  return { label: clean(block.label), url: new URL(block.url).href }
}

function clean(text: string): string {
  return text.replaceAll(LINE_BREAKS, ' ').replaceAll(HIDDEN, '').trim().toWellFormed()
}

/** At most `length` characters, without half of one at the end. */
export function shorten(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

function renderText({ title, blocks, footer }: MailContent): string {
  return `${[title, ...blocks.map(textOf), ['-- ', ...footer].join('\n')].join('\n\n')}\n`
}

function textOf(block: Block): string {
  if (typeof block === 'string') return block
  if ('items' in block) return block.items.map((item) => `- ${item}`).join('\n')
  return `${block.label}:\n${block.url}`
}

// The colours are tokens of the web application (`web/src/styles.css`).
const FONT = "font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const SMALL = 'font-size:13px;line-height:1.5;color:#566072'
/** Clients that ignore style sheets show the inline colours, which are those of the light theme. */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #0b0e13 !important; color: #e9edf3 !important }
  .card { background: #131820 !important; border-color: #262e3a !important }
  .quiet { color: #9aa5b5 !important }
  .plain { color: #6aa9ff !important }
  .button { background: #6aa9ff !important }
  .button a { color: #06152b !important }
}`
/** The mark of the application without a picture, which many clients would not load. */
const BRAND =
  '<span aria-hidden="true" style="display:inline-block;width:28px;margin-right:10px;border-radius:8px;background:#2f7cf6;background-image:linear-gradient(#2f7cf6,#8cc0ff);color:#ffffff;font-size:20px;line-height:28px;text-align:center">&#9679;</span>Skyfolio'

/** Tables, since some clients know neither the maximum width of a block nor the padding of a link. */
function renderHtml({ subject, title, blocks, footer }: MailContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark }
${DARK}
</style>
</head>
<body class="page" style="margin:0;background:#f6f7f9;color:#10151d">
<table role="presentation" class="page" width="100%" cellspacing="0" cellpadding="0" style="background:#f6f7f9;color:#10151d;${FONT};font-size:16px;line-height:1.5">
<tr><td align="center" style="padding:24px 8px">
<table role="presentation" width="560" cellspacing="0" cellpadding="0" style="width:100%;max-width:560px;text-align:left;overflow-wrap:anywhere;word-break:break-word">
<tr><td style="padding:0 20px 16px;font-size:18px;font-weight:700;line-height:28px">${BRAND}</td></tr>
<tr><td class="card" style="padding:28px 20px 12px;border:1px solid #e2e6ec;border-radius:18px;background:#ffffff">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(title)}</h1>
${blocks.map(htmlOf).join('\n')}
</td></tr>
<tr><td class="quiet" style="padding:16px 20px;${SMALL}">
${footer.map((line) => `<p style="margin:0 0 8px">${escapeHtml(line)}</p>`).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

function htmlOf(block: Block): string {
  if (typeof block === 'string') return `<p style="margin:0 0 16px">${escapeHtml(block)}</p>`
  if ('items' in block) {
    const items = block.items.map((item) => `<li style="margin:0 0 8px">${escapeHtml(item)}</li>`)
    return `<ul style="margin:0 0 16px;padding-left:20px">\n${items.join('\n')}\n</ul>`
  }
  const url = escapeHtml(block.url)
  return `<table role="presentation" cellspacing="0" cellpadding="0" style="margin:0 0 8px"><tr><td class="button" style="border-radius:12px;background:#0b5cd5"><a href="${url}" style="display:inline-block;padding:12px 20px;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(block.label)}</a></td></tr></table>
<p class="quiet" style="margin:0 0 16px;${SMALL}">If the button does not work, open this address: <a class="plain" href="${url}" style="color:#0b5cd5">${url}</a></p>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
