/**
 * The address of an account and what it may be used for.
 *
 *                    link (+ password, if changed)
 *   unconfirmed B ─────────────────────────────────► confirmed B
 *    ▲   │    ▲                                          │
 *    │   └────┘ change to C                              │ change to C
 *    └───────────────────────────────────────────────────┘ (B becomes the former address)
 *
 * - `email` is what the user entered last. Until its link was opened it gets no mail but that link.
 * - `formerEmail` is the address that was confirmed last while `email` is not confirmed. Each change away from it, also one of
 *   several in a row, sends it a notice with a link that takes the change back: a session alone, which may be stolen, takes no
 *   account over. Entering the former address again restores it too: it is proven, and the password may be forgotten.
 * - `emailChanged`: the address was entered after the registration, so its confirmation needs the password. The address of the
 *   registration needs only the link, since whoever registered has the password.
 *
 * Passwords and these fields change only while the user's row is locked (users.ts).
 */
export interface AddressState {
  email: string | null
  emailConfirmed: boolean
  emailChanged: boolean
  formerEmail: string | null
}

/** The address that proved to be the user's: the current one, or the former one while the current one is not confirmed. */
export function confirmedAddress({ email, emailConfirmed, formerEmail }: AddressState): string | null {
  return emailConfirmed ? email : formerEmail
}

/** The state after the user entered an address, or null to remove it. */
export function enterAddress(state: AddressState, email: string | null): AddressState {
  if (email === state.email) return state
  const confirmed = confirmedAddress(state)
  if (email !== null && email === confirmed) return restoreAddress(state, email)
  return { email, emailConfirmed: false, emailChanged: true, formerEmail: confirmed }
}

/** The state after the current address was confirmed. */
export function confirmAddress(state: AddressState): AddressState {
  return { ...state, emailConfirmed: true, formerEmail: null }
}

/** The state after a change was taken back. */
export function restoreAddress(state: AddressState, email: string): AddressState {
  return { ...state, email, emailConfirmed: true, formerEmail: null }
}

/** The fields of a user that make the state. */
export function addressOf({ email, emailConfirmed, emailChanged, formerEmail }: AddressState): AddressState {
  return { email, emailConfirmed, emailChanged, formerEmail }
}
