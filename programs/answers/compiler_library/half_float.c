// A number of 16 bits.
// cleave: expect paths=1 failed=0 unsupported=0 open=0
// cleave: code 0
int main(void) { volatile _Float16 h = 2; return (int)(h * (_Float16)1.5); }
