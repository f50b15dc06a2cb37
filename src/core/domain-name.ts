/** The domain to set up, or nothing where the field holds none that is worth trying. */
export function domainToSetUp(field: string): string | undefined {
  const domain = field.trim();
  return domain.includes(".") && !/[ /\\@]/.test(domain) ? domain : undefined;
}
