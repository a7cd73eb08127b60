import type { OrderResult } from '../../api/print-types.ts'
import { goTo } from './wizard-state.ts'
import type { Offer, WizardState } from './wizard-types.ts'

/** The user accepts the server's figures. */
export function confirmFigures(state: WizardState): WizardState {
  return { ...state, confirmed: state.offered?.now ?? state.confirmed, offered: null, error: null }
}

/** The server would accept other figures: the user decides. */
export function figuresOffered(state: WizardState, offered: Offer): WizardState {
  return { ...state, offered }
}

/** The server's sentences about the details. */
export function withFieldErrors(state: WizardState, fieldErrors: Record<string, string>): WizardState {
  return { ...state, fieldErrors }
}

/** The order that was sent, at this store; the note says how it differs from what the wizard shows. */
export function orderPlaced(
  state: WizardState,
  outcome: OrderResult,
  storeNum: string,
  outcomeNote: string | null = null,
): WizardState {
  return { ...goTo(state, 'complete'), outcome, storeNum, outcomeNote }
}
