/** How many readings are looked at before other requests get their turn. */
const TURN = 100

/** Whether to let other requests go on before the item at this position. */
export const isTurnOver = (position: number) => position % TURN === TURN - 1
