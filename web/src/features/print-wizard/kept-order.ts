import { remembered } from '../../lib/remember.ts'

/** Where this tab keeps an unfinished order. */
export const ORDER_KEY = 'skyfolio-print-order'

/** Whether this tab kept an order over a reload: its wizard is the first screen. */
export const isOrderKept = () => remembered(ORDER_KEY, 'sessionStorage') !== null
