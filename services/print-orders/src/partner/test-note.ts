/** Marks orders that are never printed, in the partner's own words. */
export const TEST_NOTE = 'Test Order, Do not print!'
