const NAME = 'account'

/** Tells the other tabs of this browser that the account was changed here, by a link of a mail. */
export function tellAccountChanged(): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('changed')
  channel.close()
}

/** Calls back when another tab has changed the account. Returns how to stop. */
export function onAccountChanged(changed: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = changed
  return () => channel.close()
}
