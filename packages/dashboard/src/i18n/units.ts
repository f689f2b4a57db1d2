/** Degrees Fahrenheit, in which the API has temperatures, in degrees Celsius. */
export const celsius = (fahrenheit: number) => ((fahrenheit - 32) * 5) / 9
