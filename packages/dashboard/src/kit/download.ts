/** Saves a file of the person. */
export const saveFile = (name: string, content: Blob) => {
  const address = URL.createObjectURL(content)
  const anchor = document.createElement("a")
  anchor.href = address
  anchor.download = name
  anchor.click()
  URL.revokeObjectURL(address)
}

/** Saves a text, such as a CSV file. */
export const saveText = (name: string, mediaType: string, text: string) =>
  saveFile(name, new Blob([text], { type: `${mediaType};charset=utf-8` }))

/** The name of a file, without the characters that file systems refuse. */
export const fileName = (name: string) => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^-|-$/g, "")
