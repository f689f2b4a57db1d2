/** Saves a text as a file of the person, such as a CSV file. */
export const saveText = (fileName: string, mediaType: string, text: string) => {
  const address = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }))
  const anchor = document.createElement("a")
  anchor.href = address
  anchor.download = fileName
  anchor.click()
  URL.revokeObjectURL(address)
}
