/** Where this tab keeps an unfinished order. */
export const ORDER_KEY = 'skyfolio-print-order'

/** Whether this tab kept an order over a reload: its wizard is the first screen. */
export function isOrderKept(): boolean {
  try {
    return sessionStorage.getItem(ORDER_KEY) !== null
  } catch {
    return false
  }
}
