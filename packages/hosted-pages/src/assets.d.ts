declare module "*?raw" {
  const text: string
  export default text
}

declare module "*?inline" {
  const text: string
  export default text
}
