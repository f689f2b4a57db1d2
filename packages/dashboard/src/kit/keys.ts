/** Whether a key belongs to the element that has the focus. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"))

export const isDialogOpen = () => document.querySelector("[role=dialog], [role=alertdialog], [role=menu]") !== null
