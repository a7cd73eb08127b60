/** How a screen lets photos be selected. */
export interface GridSelection {
  /** In select mode a click selects instead of opening. */
  active: boolean
  has(id: number): boolean
  /** Selects the photo or takes it out of the selection. */
  toggle(id: number, place: number): void
  /** Selects all places from where the selection began to this one. */
  extendTo(place: number): void
  /** The keyboard or the mouse has gone on: here the next range begins. */
  moveTo(place: number): void
  all(): void
  clear(): void
  /** Asks whether what is selected is to be deleted. */
  remove(): void
}
